import{a,b,c}from"./chunk-OOW2L2VN.js";import"./chunk-IWIMJWND.js";import"./chunk-4SB6D7PQ.js";c();export{a as default,b as engine};
