import{a,b,c,d}from"./chunk-QNEPMEVG.js";import"./chunk-VAVE3IDZ.js";import"./chunk-CLELO4DU.js";d();export{c as Security,a as default,b as identity};
