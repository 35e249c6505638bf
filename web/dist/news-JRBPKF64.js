import{a,b,c}from"./chunk-Z3IYQLXG.js";import"./chunk-4SB6D7PQ.js";c();export{b as default,a as tabs};
