import{a,b,c,d}from"./chunk-6DIDJFLG.js";import"./chunk-XNJZDUH6.js";import"./chunk-HCVERMU2.js";d();export{c as Security,a as default,b as identity};
