import{d as a,e as b,f as c}from"./chunk-C3SK3LPH.js";import"./chunk-DLWLIAIX.js";import"./chunk-MXGAEGVM.js";import"./chunk-NMUK7DXM.js";c();export{a as default,b as enters};
