import{a,b,c}from"./chunk-HEW7HSGJ.js";import"./chunk-IDD6RLIY.js";import"./chunk-4FJQJHQU.js";c();export{a as default,b as engine};
