import{a,b,c}from"./chunk-MNUMHQVO.js";import"./chunk-NMUK7DXM.js";c();export{b as default,a as tabs};
