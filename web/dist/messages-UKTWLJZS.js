import{a,b,c}from"./chunk-GWCBL4NJ.js";import"./chunk-5H5K2FAG.js";c();export{a as default,b as useLate};
