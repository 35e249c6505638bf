import{a,b,c}from"./chunk-SSMPWC73.js";import"./chunk-WZQEC2GS.js";c();export{b as default,a as tabs};
