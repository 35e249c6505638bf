import{a,b,c}from"./chunk-AFBZQS22.js";import"./chunk-QWAWXKJ5.js";import"./chunk-CLELO4DU.js";c();export{a as default,b as engine};
