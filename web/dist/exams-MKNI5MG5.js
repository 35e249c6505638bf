import{d as a,e as b,f as c}from"./chunk-X5VLFGTC.js";import"./chunk-EEWY2SJF.js";import"./chunk-JROEU6A2.js";import"./chunk-WTA7P345.js";c();export{a as default,b as enters};
