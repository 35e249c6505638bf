import{a,b,c}from"./chunk-H3JQVN4O.js";import"./chunk-GOKVTJ5P.js";c();export{a as default,b as useLate};
