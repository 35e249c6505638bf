import{a,b,c}from"./chunk-DKXKYSAD.js";import"./chunk-HCVERMU2.js";c();export{b as default,a as tabs};
