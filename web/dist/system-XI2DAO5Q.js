import{a,b,c}from"./chunk-75X5PYO5.js";import"./chunk-GDXA4I7G.js";import"./chunk-57WFRSBU.js";c();export{a as default,b as engine};
