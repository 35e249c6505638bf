import{a,b,c}from"./chunk-FECG6X3P.js";import"./chunk-UN3BADVL.js";c();export{b as Push,a as renewPush};
