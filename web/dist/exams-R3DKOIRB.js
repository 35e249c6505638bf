import{d as a,e as b,f as c}from"./chunk-RIL6LICE.js";import"./chunk-GBOWTXZD.js";import"./chunk-5LDZBIOS.js";import"./chunk-O2OVPS25.js";c();export{a as default,b as enters};
