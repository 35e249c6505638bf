import{a,b,c,d}from"./chunk-C2QNWMQX.js";import"./chunk-PD4I234Y.js";import"./chunk-4SB6D7PQ.js";d();export{c as Security,a as default,b as identity};
