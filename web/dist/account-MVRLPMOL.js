import{a,b,c,d}from"./chunk-UMHK7WWC.js";import"./chunk-UDMRVZXF.js";import"./chunk-FYHFRXBF.js";import"./chunk-DKZEZLDA.js";d();export{c as Security,a as default,b as identity};
