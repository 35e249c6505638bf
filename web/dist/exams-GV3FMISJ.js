import{d as a,e as b,f as c}from"./chunk-VTHOO7VB.js";import"./chunk-RGJSN4T2.js";import"./chunk-OSMJYBXI.js";import"./chunk-CLELO4DU.js";c();export{a as default,b as enters};
