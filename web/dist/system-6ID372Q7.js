import{a,b,c}from"./chunk-QJ3W274M.js";import"./chunk-JFMGGJL7.js";import"./chunk-WTA7P345.js";c();export{a as default,b as engine};
