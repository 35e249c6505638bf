import{a,b,c,d}from"./chunk-V5B4L36O.js";import"./chunk-543NLA2A.js";import"./chunk-3WNINLFU.js";import"./chunk-BYYGTQDX.js";d();export{c as Security,a as default,b as identity};
