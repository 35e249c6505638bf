import{a,b,c}from"./chunk-MAWXMWIP.js";import"./chunk-EVZR4T6Z.js";c();export{b as default,a as tabs};
