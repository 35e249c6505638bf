import{a,b,c}from"./chunk-5C42LN4P.js";import"./chunk-N5A6VUJA.js";c();export{b as default,a as tabs};
