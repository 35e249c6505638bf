import{a,b,c}from"./chunk-4ENKP6UO.js";import"./chunk-CLELO4DU.js";c();export{b as default,a as tabs};
