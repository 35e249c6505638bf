import{a,b,c,d}from"./chunk-3V6ZGHA2.js";import"./chunk-556XOIDL.js";import"./chunk-O2OVPS25.js";d();export{c as Security,a as default,b as identity};
