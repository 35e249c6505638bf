import{a,b,c}from"./chunk-K2AAUEXQ.js";import"./chunk-UN3BADVL.js";c();export{a as default,b as useLate};
