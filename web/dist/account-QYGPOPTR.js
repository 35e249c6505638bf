import{a,b,c,d}from"./chunk-NRLTGVQO.js";import"./chunk-RJ7ASIW4.js";import"./chunk-VTR327EJ.js";d();export{c as Security,a as default,b as identity};
