import{a,b,c}from"./chunk-UFIN67RA.js";import"./chunk-2WWN6WQ5.js";c();export{a as default,b as useLate};
