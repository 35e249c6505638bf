import{a,b,c,d}from"./chunk-VVLTNX56.js";import"./chunk-XCUKUBFK.js";import"./chunk-N5A6VUJA.js";d();export{c as Security,a as default,b as identity};
