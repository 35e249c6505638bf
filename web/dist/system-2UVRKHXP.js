import{a,b,c}from"./chunk-X3KVDBJI.js";import"./chunk-3BGIVKP5.js";import"./chunk-REX6MET3.js";c();export{a as default,b as engine};
