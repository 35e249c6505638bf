import{a,b,c}from"./chunk-CJWFS5SJ.js";import"./chunk-QNNZSPSD.js";c();export{b as default,a as tabs};
