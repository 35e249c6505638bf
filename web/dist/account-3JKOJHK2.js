import{a,b,c,d}from"./chunk-PFY7P4MB.js";import"./chunk-JSSEWDTC.js";import"./chunk-BKMNMJ4E.js";d();export{c as Security,a as default,b as identity};
