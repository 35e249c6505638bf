import{a,b,c}from"./chunk-N2B64WCM.js";import"./chunk-EFMXWPQZ.js";c();export{b as default,a as tabs};
