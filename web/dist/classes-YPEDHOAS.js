import{a,b,c}from"./chunk-MR2EIIXJ.js";import"./chunk-IDFEA5G6.js";import"./chunk-ULW6XOJ5.js";import"./chunk-4FJQJHQU.js";c();export{a as ClassTabs,b as default};
