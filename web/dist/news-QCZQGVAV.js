import{a,b,c}from"./chunk-NRRALX6V.js";import"./chunk-WRJ6R7OA.js";c();export{b as default,a as tabs};
