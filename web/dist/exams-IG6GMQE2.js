import{d as a,e as b,f as c}from"./chunk-Z3656YJI.js";import"./chunk-ZYPSVFEE.js";import"./chunk-UUBUFA56.js";import"./chunk-ZSVQMGKL.js";c();export{a as default,b as enters};
