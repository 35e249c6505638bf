import{a,b,c}from"./chunk-7MCL5N2G.js";import"./chunk-RZXHXUZY.js";c();export{a as default,b as useLate};
