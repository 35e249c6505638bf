import{d as a,e as b,f as c}from"./chunk-SVHCCVEC.js";import"./chunk-GVDELJ2P.js";import"./chunk-LVZDDBCA.js";import"./chunk-HCVERMU2.js";c();export{a as default,b as enters};
