import{a,b,c}from"./chunk-Y726Z34W.js";import"./chunk-QIRAC7NQ.js";c();export{a as default,b as useLate};
