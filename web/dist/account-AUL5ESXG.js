import{a,b,c,d}from"./chunk-MKQNH537.js";import"./chunk-DMWL26KK.js";import"./chunk-WXQVR26E.js";d();export{c as Security,a as default,b as identity};
