import{a,b,c}from"./chunk-RFWTG7BJ.js";import"./chunk-UN3BADVL.js";c();export{b as default,a as tabs};
