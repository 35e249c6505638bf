import{a,b,c}from"./chunk-AHPJVJU5.js";import"./chunk-BYYGTQDX.js";c();export{a as default,b as useLate};
