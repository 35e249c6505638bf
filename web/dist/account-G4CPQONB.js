import{a,b,c,d}from"./chunk-5PONMHMN.js";import"./chunk-BRSBEKQG.js";import"./chunk-NMUK7DXM.js";d();export{c as Security,a as default,b as identity};
