import{a,b,c,d}from"./chunk-J22LSCG5.js";import"./chunk-HZ3AWR2V.js";import"./chunk-DCRXLL3Y.js";import"./chunk-3S6HH2FD.js";d();export{c as Security,a as default,b as identity};
