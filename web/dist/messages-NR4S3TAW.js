import{a,b,c}from"./chunk-75F5HGPY.js";import"./chunk-N5A6VUJA.js";c();export{a as default,b as useLate};
