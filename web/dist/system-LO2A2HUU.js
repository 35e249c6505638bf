import{a,b,c}from"./chunk-IAWNBTQI.js";import"./chunk-BXIZ4PQR.js";import"./chunk-WZQEC2GS.js";c();export{a as default,b as engine};
