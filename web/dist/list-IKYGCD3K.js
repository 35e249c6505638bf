import{a,b,c}from"./chunk-4G6MLNUZ.js";import"./chunk-2SQARNOR.js";import"./chunk-55C5OV5W.js";import"./chunk-BJJ3PQ36.js";import"./chunk-4FJQJHQU.js";c();export{a as GuardianTabs,b as default};
