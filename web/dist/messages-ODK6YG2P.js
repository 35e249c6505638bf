import{a,b,c}from"./chunk-NKPAM2QE.js";import"./chunk-CLELO4DU.js";c();export{a as default,b as useLate};
