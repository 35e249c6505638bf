import{a,b,c}from"./chunk-PRDXXLTA.js";import"./chunk-QIRAC7NQ.js";c();export{b as default,a as tabs};
