import{a,b,c}from"./chunk-EUBRB5IR.js";import"./chunk-QIRAC7NQ.js";c();export{b as Push,a as renewPush};
