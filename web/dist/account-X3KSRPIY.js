import{a,b,c,d}from"./chunk-KYXDWBHJ.js";import"./chunk-YFCZNQ67.js";import"./chunk-DTGVUE5H.js";d();export{c as Security,a as default,b as identity};
