import{a,b,c,d}from"./chunk-FPQPA5NA.js";import"./chunk-26JDYGPW.js";import"./chunk-2WWN6WQ5.js";d();export{c as Security,a as default,b as identity};
