import{a,b,c,d}from"./chunk-XKCERGN6.js";import"./chunk-EGKOBUAG.js";import"./chunk-REX6MET3.js";d();export{c as Security,a as default,b as identity};
