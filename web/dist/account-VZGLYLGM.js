import{a,b,c,d}from"./chunk-NXIDXFCS.js";import"./chunk-OH45LNUC.js";import"./chunk-WTA7P345.js";d();export{c as Security,a as default,b as identity};
