import{a,b,c,d}from"./chunk-NU3ODMT3.js";import"./chunk-5SQ4GJ5Q.js";import"./chunk-4FJQJHQU.js";d();export{c as Security,a as default,b as identity};
