import{a,b,c}from"./chunk-KBYKBZ6Y.js";import"./chunk-GOKVTJ5P.js";c();export{b as default,a as tabs};
