import{a,b,c}from"./chunk-YP4MSGO5.js";import"./chunk-DTGVUE5H.js";c();export{b as default,a as tabs};
